// What `turn-attribution/viewer` gives a host: React components over the results of `attributeTurn` and `diffTurn`.

export { ChangedFilesCard, type ChangedFilesCardProps } from './card/ChangedFilesCard.js'
export { MovedRow, type MovedRowProps } from './card/MovedRow.js'
export { Name } from './names/Name.js'
export { DiffPanel, type DiffPanelProps } from './panel/DiffPanel.js'
export type { LoadPatch, PatchQuery, TurnPatch } from './panel/patch-query.js'
