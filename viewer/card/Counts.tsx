import type { ShownFile } from 'turn-attribution'

interface Totals {
  additions: number
  deletions: number
}

/** `+12 −3`, read aloud in words. */
export function Counts({ additions, deletions }: Totals) {
  return (
    <span className="ta-counts">
      <span className="ta-added">
        <span aria-hidden="true">+{additions.toLocaleString('en')}</span>
        <span className="ta-aloud">{lines(additions)} added,</span>
      </span>{' '}
      <span className="ta-removed">
        <span aria-hidden="true">−{deletions.toLocaleString('en')}</span>
        <span className="ta-aloud">{lines(deletions)} removed</span>
      </span>
    </span>
  )
}

const lines = (count: number) => numbered(count, 'line')

/** The counts of a file, or a word for why it has none. */
export function FileCounts({ file }: { file: Pick<ShownFile, 'additions' | 'deletions' | 'binary'> }) {
  const { additions, deletions, binary } = file
  if (binary) return <span className="ta-counts ta-muted">binary</span>
  if (additions === null || deletions === null) return <span className="ta-counts ta-muted">not counted</span>
  return <Counts additions={additions} deletions={deletions} />
}

export function totalsOf(files: readonly Pick<ShownFile, 'additions' | 'deletions'>[]): Totals {
  let [additions, deletions] = [0, 0]
  for (const file of files) {
    additions += file.additions ?? 0
    deletions += file.deletions ?? 0
  }
  return { additions, deletions }
}

/** `1 file`, `5,000 files`. */
export function numbered(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`
}
