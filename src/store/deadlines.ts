/** How long the store may take, in milliseconds. */
export const DEADLINES = {
  /** To get a connection, waiting for a free one included. */
  connectMs: 10_000,
  /** For one statement. */
  queryMs: 15_000,
  /** For one statement of a migration, and for waiting while another process migrates. */
  migrationMs: 120_000,
  /** For the embedded store to start, its first creation included. */
  startMs: 60_000,
  /** For running statements to end when the store is closed. */
  closeMs: 5_000,
} as const;
