// The pipeline in a process of its own: starting git takes longer the more memory the process holds that starts it, and
// what the addon and the harness hold is not the pipeline's fault.

import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { askByProcesses } from './pipeline.mjs'
import { timed } from './samples.mjs'

const script = fileURLToPath(import.meta.url)
if (process.argv[1] === script) {
  process.on('message', async ({ asks, cwd, refs }) => {
    let processes
    const time = await timed(async () => {
      processes = (await askByProcesses(asks, cwd, refs)).processes
    })
    process.send({ time, processes })
  })
}

/** Starts it; each question is answered with milliseconds and the number of git processes. */
export function startPipeline() {
  const child = fork(script)
  const ended = once(child, 'exit').then(([code]) => {
    if (code !== 0) throw new Error(`the pipeline ended with ${code}`)
  })
  return {
    time(asks, cwd, refs) {
      child.send({ asks, cwd, refs })
      return Promise.race([once(child, 'message').then(([answer]) => answer), ended])
    },
    end: () => child.disconnect(),
  }
}
