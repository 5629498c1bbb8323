// Numbers of many samples in few.

/** The middle one: what the machine does beside the work falls on few of them. */
export function median(samples) {
  const sorted = [...samples].sort((one, two) => one - two)
  const middle = sorted.length >> 1
  if (sorted.length === 0) return Number.NaN
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}

/** The tenth, the middle and the ninetieth of a hundred. */
export function spread(samples) {
  const sorted = [...samples].sort((one, two) => one - two)
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]
  return { median: median(samples), p10: at(0.1), p90: at(0.9), samples: samples.length }
}

/** The exponent of a power law through points: the slope on logarithmic scales. */
export function exponent(points) {
  const logs = points.map(([x, y]) => [Math.log(x), Math.log(y)])
  const mean = (at) => logs.reduce((sum, point) => sum + point[at], 0) / logs.length
  const [x, y] = [mean(0), mean(1)]
  const above = logs.reduce((sum, point) => sum + (point[0] - x) * (point[1] - y), 0)
  const below = logs.reduce((sum, point) => sum + (point[0] - x) ** 2, 0)
  return above / below
}

/** Milliseconds of one go. */
export async function timed(work) {
  const began = performance.now()
  await work()
  return performance.now() - began
}

/** With as many digits as say something. */
export function digits(number) {
  if (!Number.isFinite(number)) return '–'
  if (number >= 100) return number.toFixed(0)
  return number >= 10 ? number.toFixed(1) : number.toFixed(2)
}
