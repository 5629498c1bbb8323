// The two themes of the page, in place of the 70 that the diff component can name.

const load: Record<string, () => Promise<unknown>> = {
  'pierre-dark': () => import('@pierre/theme/pierre-dark'),
  'pierre-light': () => import('@pierre/theme/pierre-light'),
}

export const themes = {
  getTheme: (name: string) => (load[name] === undefined ? undefined : { load: load[name] }),
}
