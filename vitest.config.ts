import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['__test__/**/*.spec.ts', 'integration/**/*.spec.ts'],
    // Every scenario runs real git many times; a slow disk is no failure.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Tests wait for git more than they compute.
    maxWorkers: 2,
  },
})
