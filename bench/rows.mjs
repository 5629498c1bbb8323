// What is measured: the work, where it is done, and the factor over the pipeline that is wanted, warm and at the first
// call of a process.

/**
 * `asks`: `head`, `card`, `lines` (a card with the counts of what moved), `card+patch`, or `range` (card and patch of
 * all turns at once). A row without `wanted` is there to be seen.
 */
export const rows = [
  { name: 'readHead', in: 'ordinary', turns: 'unmoved-1', asks: 'head', wanted: [40, 20] },
  { name: 'head unmoved, 1 file', in: 'ordinary', turns: 'unmoved-1', asks: 'card+patch', wanted: [25, 6] },
  { name: 'head unmoved, 10 files', in: 'ordinary', turns: 'unmoved-10', asks: 'card+patch', wanted: [10, 4] },
  { name: 'head unmoved, 1 file, 200k files', in: '200k', turns: 'unmoved-1', asks: 'card+patch' },
  { name: 'head unmoved, 10 files, 200k files', in: '200k', turns: 'unmoved-10', asks: 'card+patch' },
  { name: 'head unmoved, 10 files, 200k files, loose', in: '200k-loose', turns: 'unmoved-10', asks: 'card+patch' },
  { name: 'head unmoved, commits of this project', in: 'this-project', turns: 'edits', asks: 'card+patch' },
  { name: 'pull of 20 commits of this project', in: 'this-project', turns: 'pull', asks: 'card+patch' },
  { name: 'pull of 3 files, 200k files', in: '200k', turns: 'pull-3', asks: 'card+patch', wanted: [100, 20] },
  { name: 'pull of 3 files, 200k files, loose', in: '200k-loose', turns: 'pull-3', asks: 'card+patch' },
  { name: 'pull of 1,000 files, 200k files', in: '200k', turns: 'pull-1000', asks: 'card', wanted: [7, 2] },
  { name: 'pull of 1,000 files, 200k files, loose', in: '200k-loose', turns: 'pull-1000', asks: 'card' },
  {
    name: 'pull of 830 files with 134,000 lines, totals',
    in: '200k',
    turns: 'pull-830',
    asks: 'lines',
    wanted: [2.5, 1.5],
  },
  { name: 'checkout of 50,000 files, 200k files', in: '200k', turns: 'checkout-50000', asks: 'card', wanted: [3, 1.5] },
  { name: 'checkout of 50,000 files, 200k files, loose', in: '200k-loose', turns: 'checkout-50000', asks: 'card' },
  { name: 'checkout of 50,000 files, 1M files', in: '1m', turns: 'checkout-50000', asks: 'card', wanted: [2, 1.2] },
  { name: 'pull of 3 files, 1M files', in: '1m', turns: 'pull-3', asks: 'card+patch' },
  { name: 'pull of 1,000 files, 1M files', in: '1m', turns: 'pull-1000', asks: 'card' },
  {
    name: 'pull of 10,000 commits, 3 turn commits',
    in: 'history',
    turns: 'pull',
    asks: 'card+patch',
    wanted: [40, 10],
  },
  { name: 'rebase of 50 commits onto 1,000', in: 'rebase', turns: 'rebase', asks: 'card+patch', wanted: [5, 3] },
  { name: 'thread of 100 turns, whole range', in: 'thread', turns: 'thread', asks: 'range', wanted: [10, 5] },
]
