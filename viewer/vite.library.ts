// The components, for hosts: React and the diff component are the host's own.

import { defineConfig } from 'vite'

export default defineConfig({
  root: import.meta.dirname,
  build: {
    outDir: 'dist',
    target: 'es2022',
    minify: false,
    lib: { entry: 'index.ts', formats: ['es'], fileName: 'index' },
    rolldownOptions: {
      external: /^(?:react|react-dom|@pierre\/diffs)(?:\/|$)/,
      // For hosts that render on a server: these components live in the browser.
      output: { banner: "'use client'", entryFileNames: 'index.js', chunkFileNames: '[name].js' },
    },
  },
})
