// The pipeline in a process of its own: starting git takes longer the more memory the process holds that starts it, and
// what the addon and the harness hold is not the pipeline's fault.

import { fork } from 'node:child_process'
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
  return {
    time(asks, cwd, refs) {
      return new Promise((resolve, reject) => {
        child.once('message', resolve)
        child.once('error', reject)
        child.send({ asks, cwd, refs })
      })
    },
    end: () => child.disconnect(),
  }
}
