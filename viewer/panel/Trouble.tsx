import { Component, type ReactNode } from 'react'
import { Name } from '../names/Name.js'

// What the codes of index.d.ts mean to who reads them here.
const PLAIN: Record<string, string> = {
  NOT_A_REPOSITORY: 'There is no git repository here any more.',
  NOT_OWNED: 'The repository belongs to another user.',
  UNSUPPORTED_REPOSITORY: 'The repository has a format that cannot be read.',
  REPOSITORY_UNREADABLE: 'The repository is damaged, or may not be read.',
  SNAPSHOT_MISSING: 'A snapshot of this turn is no longer in the repository.',
  TOO_LARGE: 'More changed than is looked at.',
  TIMED_OUT: 'It took too long.',
  ABORTED: 'It was stopped before it was done.',
}

interface TroubleProps {
  title: string
  error: unknown
  onRetry?: (() => void) | undefined
}

/** What went wrong, where the data would be. */
export function Trouble({ title, error, onRetry }: TroubleProps) {
  const message = error instanceof Error ? error.message : String(error)
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
  return (
    <div className="ta-trouble" role="alert">
      <p className="ta-trouble-title">{title}</p>
      {PLAIN[code] && <p>{PLAIN[code]}</p>}
      <p className={PLAIN[code] && 'ta-trouble-detail'}>
        <Name>{message}</Name>
        {code !== '' && <code className="ta-trouble-code">{code}</code>}
      </p>
      {onRetry && (
        <button type="button" className="ta-button" onClick={onRetry}>
          Try again
        </button>
      )}
    </div>
  )
}

interface BoundaryProps {
  title: string
  children: ReactNode
}

/** Keeps a fault in drawing to the place where it happened. */
export class TroubleBoundary extends Component<BoundaryProps, { error: unknown }> {
  override state: { error: unknown } = { error: null }

  static getDerivedStateFromError(error: unknown) {
    return { error }
  }

  override render() {
    const { error } = this.state
    if (error === null) return this.props.children
    return <Trouble title={this.props.title} error={error} onRetry={() => this.setState({ error: null })} />
  }
}
