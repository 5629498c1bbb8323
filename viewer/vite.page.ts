// The page that `turn-attribution view` serves: everything it needs, in files of its own.

import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'

const file = (name: string) => fileURLToPath(new URL(name, import.meta.url))

export default defineConfig({
  root: file('page'),
  base: './',
  resolve: {
    alias: [
      { find: /^shiki\/langs$/, replacement: file('page/languages.ts') },
      { find: /^@pierre\/theming\/themes$/, replacement: file('page/themes.ts') },
      // Other ways to highlight, which need WebAssembly.
      { find: /^shiki\/(?:wasm|engine\/oniguruma)$/, replacement: file('page/left-out.ts') },
      {
        find: /^(?:\.\/backends\/highlights\.js|@pierre\/highlights\/themes\/loader)$/,
        replacement: file('page/left-out.ts'),
      },
    ],
  },
  build: {
    outDir: file('dist/page'),
    emptyOutDir: true,
    target: 'es2022',
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 2000,
  },
})
