import { Component, type ReactNode } from 'react'
import { Name } from '../names/Name.js'

interface TroubleProps {
  title: string
  error: unknown
  onRetry?: (() => void) | undefined
}

/** What went wrong, where the data would be. */
export function Trouble({ title, error, onRetry }: TroubleProps) {
  const message = error instanceof Error ? error.message : String(error)
  return (
    <div className="ta-trouble" role="alert">
      <p className="ta-trouble-title">{title}</p>
      <p>
        <Name>{message}</Name>
        {codeOf(error) !== null && <code className="ta-trouble-code">{codeOf(error)}</code>}
      </p>
      {onRetry && (
        <button type="button" className="ta-button" onClick={onRetry}>
          Try again
        </button>
      )}
    </div>
  )
}

function codeOf(error: unknown): string | null {
  const code = error instanceof Error && 'code' in error ? error.code : null
  return typeof code === 'string' ? code : null
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
