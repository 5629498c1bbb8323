// What the screenshots show: a thread of an ordinary project, in which one turn pulls 214 files and edits three.

import { lines, TurnRepository } from '../support/turn-repository.js'
import { RecordedThread } from './recorded-thread.js'

const CHAT_VIEW = 'apps/web/src/components/ChatView.tsx'
const DIFF_PANEL = 'apps/web/src/components/DiffPanel.tsx'
const ROUTES = 'apps/server/src/routes.ts'

const component = (name: string, more: string[] = []) => `import { useState } from 'react'
import { useTurns } from '../state/turns'

interface ${name}Props {
  threadId: string
  onClose?: () => void
}

export function ${name}({ threadId, onClose }: ${name}Props) {
  const turns = useTurns(threadId)
  const [selected, setSelected] = useState(0)
${more.map((line) => `  ${line}\n`).join('')}  if (turns.length === 0) return <p className="empty">No turns yet.</p>
  return (
    <section className="panel">
      <header>
        <h2>{turns[selected]?.title ?? 'Untitled'}</h2>
        <button type="button" onClick={onClose}>Close</button>
      </header>
      {turns.map((turn, index) => (
        <TurnRow key={turn.id} turn={turn} onSelect={() => setSelected(index)} />
      ))}
    </section>
  )
}
`

const routes = (body: string) => `import { Router } from './router'
import { readTurns } from './store'

export const routes = new Router()

routes.get('/api/threads/:id/turns', async ({ params, reply }) => {
${body}})

routes.get('/api/health', ({ reply }) => reply.json({ ok: true }))
`

export async function demoThread(): Promise<RecordedThread> {
  const before: Record<string, string> = {
    [CHAT_VIEW]: component('ChatView'),
    [DIFF_PANEL]: component('DiffPanel', ['const whole = turns.length > 100']),
    [ROUTES]: routes('  reply.json(await readTurns(params.id))\n'),
    'apps/web/package.json': '{\n  "name": "web",\n  "private": true\n}\n',
    'scripts/release.sh': '#!/bin/sh\nset -e\nnpm run build\n',
  }
  for (let module = 1; module <= 120; module++)
    before[`apps/desktop/src/module-${module}.ts`] = lines(20, `// ${module}`)
  const repo = TurnRepository.create(before)
  const pushed: Record<string, string> = {}
  for (let module = 1; module <= 214; module++)
    pushed[`apps/desktop/src/module-${module}.ts`] = lines(24, `// new ${module}`)
  repo.teammate.push(pushed)
  const thread = await RecordedThread.begin(repo, '7f3a-review-turn-diffs')
  await thread.turn(() => {
    repo.write('apps/web/src/state/turns.ts', 'export const useTurns = (threadId: string) => store.turns(threadId)\n')
    repo.write('scripts/release.sh', '#!/bin/sh\nset -eu\nnpm ci\nnpm run build\n').chmod('scripts/release.sh', 0o755)
  })
  await thread.turn(() => {
    repo.pull()
    repo.write(
      CHAT_VIEW,
      component('ChatView', [
        'const unread = turns.filter((turn) => !turn.read).length',
        "useTitle(unread === 0 ? 'Chat' : 'Chat, ' + unread + ' new')",
      ]),
    )
    repo.write(
      DIFF_PANEL,
      component('DiffPanel', ['const whole = turns.length > 200', 'const [hidden, setHidden] = useState(true)']),
    )
    repo.write(
      ROUTES,
      routes(
        "  const turns = await readTurns(params.id)\n  if (turns === null) return reply.status(404).json({ error: 'no such thread' })\n  reply.json(turns)\n",
      ),
    )
    repo.write(
      'apps/server/src/store.ts',
      'export async function readTurns(id: string) {\n  return store.get(id) ?? null\n}\n',
    )
  })
  return thread
}
