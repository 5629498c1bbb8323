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

/** A path on one line: where it is too long the folder is cut, never the file's own name. */
export function Path({ children: path }: { children: string }) {
  const cut = path.lastIndexOf('/') + 1
  return (
    <span className="ta-path">
      {cut > 0 && (
        <span className="ta-path-folder">
          <Name>{path.slice(0, cut)}</Name>
        </span>
      )}
      <span className="ta-path-name">
        <Name>{path.slice(cut)}</Name>
      </span>
    </span>
  )
}
