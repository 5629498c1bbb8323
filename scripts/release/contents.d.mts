export const pinned: string[]
export function underPinnedNames(files: string[]): string[]
