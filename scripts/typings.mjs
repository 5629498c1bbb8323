// The last step of `npm run build`: index.d.ts describes index.js, so what only the loader exports does not belong there.
import { readFileSync, writeFileSync } from 'node:fs'

const typings = new URL('../index.d.ts', import.meta.url)
const loaderOnly = /\n\/\*\*(?:(?!\*\/)[\s\S])*\*\/\nexport declare const __napiBindingTarget: .*\n/
const written = readFileSync(typings, 'utf8')
if (!loaderOnly.test(written)) throw new Error('index.d.ts no longer declares __napiBindingTarget: drop this step')
writeFileSync(typings, written.replace(loaderOnly, ''))
