import { pathToFileURL } from 'node:url'

/** Whether a module is the one that was started, and not imported by another. */
export function started({ url }) {
  const [, script] = process.argv
  return script !== undefined && url === pathToFileURL(script).href
}
