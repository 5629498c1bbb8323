import type { TurnAttribution } from 'turn-attribution'
import { remarks } from '../../bin/presentation/words.js'
import { Name } from '../names/Name.js'

/** Why a turn was not attributed, what to know about the evidence, what git was in the middle of. */
export function Remarks({ turn }: { turn: Pick<TurnAttribution, 'attribution' | 'operationInProgress'> }) {
  const sentences = remarks(turn)
  if (sentences.length === 0) return null
  return (
    <ul className="ta-remarks" data-status={turn.attribution.status}>
      {sentences.map((sentence) => (
        <li key={sentence}>
          <Name>{sentence}</Name>
        </li>
      ))}
    </ul>
  )
}
