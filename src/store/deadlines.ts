/** Deadlines of the store, in milliseconds. */
export const DEADLINES = {
  /** To get a connection, including the wait for a free one. */
  connectMs: 10_000,
  /** For one statement. */
  queryMs: 15_000,
  /** For one statement of a migration, and for the wait while another process migrates. */
  migrationMs: 120_000,
  /**
   * For the locks of a migration, while requests wait for it. Less than the second after which PostgreSQL resolves a deadlock, which may
   * abort a request.
   */
  migrationLocksMs: 500,
  /** For the embedded store to start, including its creation. */
  startMs: 60_000,
  /** For running statements to end when the store is closed. */
  closeMs: 5_000,
} as const;
