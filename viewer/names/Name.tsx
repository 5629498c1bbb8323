import { visibleParts } from './visible.js'

/** A name from the repository: isolated from the text around it, and with nothing in it that cannot be seen. */
export function Name({ children }: { children: string }) {
  return (
    <bdi>
      {visibleParts(children).map(({ text, escaped }, index) =>
        escaped ? <span key={index} className="ta-unseen" children={text} /> : text,
      )}
    </bdi>
  )
}

// A folder's slash, the arrow of a move, and the brackets that words put around it.
const BETWEEN = /(\/| → |[()])/
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u

/**
 * Names in a row, from left to right whatever they are written in: the folders of a path, the branches of a move. In one
 * piece, two names from right to left would change places: `a → b` would read as `b → a`.
 */
export function Names({ children }: { children: string }) {
  if (!RIGHT_TO_LEFT.test(children)) return <Name>{children}</Name>
  return (
    <bdi dir="ltr">
      {children.split(BETWEEN).map((part, index) => (index % 2 === 1 ? part : <Name key={index}>{part}</Name>))}
    </bdi>
  )
}

/** A path on one line: where it is too long the folder is cut, never the file's own name. */
export function Path({ children: path }: { children: string }) {
  const cut = path.lastIndexOf('/') + 1
  return (
    <span className="ta-path">
      {cut > 0 && (
        <span className="ta-path-folder">
          <Names>{path.slice(0, cut)}</Names>
        </span>
      )}
      <span className="ta-path-name">
        <Name>{path.slice(cut)}</Name>
      </span>
    </span>
  )
}
