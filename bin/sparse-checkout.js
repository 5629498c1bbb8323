'use strict'

// What a sparse checkout leaves out, as git itself answers it.

const { saidOf, tryGit } = require('./git.js')

/** What the user has set, not what the git that we start is told. */
exports.hasSparseCheckout = async (cwd) => {
  const args = ['config', '--show-scope', '--type=bool', '--get-all', 'core.sparseCheckout']
  const values = (await tryGit(cwd, args)).stdout.split('\n').filter((line) => line !== '' && !/^command\t/.test(line))
  return values.at(-1)?.endsWith('\ttrue') ?? false
}

/**
 * Which entries of the index are left out. Where git cannot tell, none: a file that wrongly passes for deleted is seen, a
 * deletion that passes for left out is not. `why` says so then.
 */
exports.leftOutOf = async (cwd, entries) => {
  // In cone mode git takes a submodule for a file, otherwise for a folder; the command believes the name.
  const isCone = (await tryGit(cwd, ['config', '--type=bool', 'core.sparseCheckoutCone'])).stdout === 'true\n'
  const namesOf = ({ name, isSubmodule }) => {
    const text = name.toString('latin1')
    if (!isSubmodule) return [text]
    return isCone ? [text, `${text}/`] : [`${text}/`]
  }
  const asked = entries.flatMap(namesOf).map((name) => `${name}\0`)
  const chunks = []
  // It reads every pattern as one of cone mode where the setting, which we take from all other gits, is not there.
  const ran = await tryGit(cwd, ['-c', 'core.sparseCheckout=true', 'sparse-checkout', 'check-rules', '-z'], {
    input: Buffer.from(asked.join(''), 'latin1'),
    onOutput: (chunk) => chunks.push(chunk),
  })
  if (ran.status !== 0) return { leftOut: [], why: saidOf(ran).split('\n', 1)[0] }
  const inside = new Set(Buffer.concat(chunks).toString('latin1').split('\0'))
  return { leftOut: entries.filter((entry) => !namesOf(entry).some((name) => inside.has(name))), why: null }
}
