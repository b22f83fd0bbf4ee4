/** What was used in each step of a window. */
export type Steps = ReadonlyMap<number, number>;

/** What one server reports of a key, and asks. */
export type Report = {
  /** Name of the window, the same on every server. */
  readonly name: string;
  /** The present step. */
  readonly step: number;
  /** How long the window is kept, in milliseconds. */
  readonly keepMs: number;
  /** What this server allowed since its last report. */
  readonly used: Steps;
  /** A charge that is to be allowed there, if all servers together leave room for it. */
  readonly wish?: { readonly weight: number; readonly burst: number };
};

/** What all servers together used. */
export type SharedWindow = {
  /** Whether the wish was allowed; false without one. */
  readonly isAllowed: boolean;
  readonly steps: Steps;
};

/** The counts that servers share. */
export type SharedCounts = {
  /** True while reports are answered. */
  readonly isUp: () => boolean;
  /** Adds a report, and returns what all servers used. Answers come in the order of the reports. @throws if it is not answered in time. */
  readonly report: (report: Report) => Promise<SharedWindow>;
  /** Returns milliseconds that are the same on every server, within the time that an answer takes. */
  readonly now: () => number;
};
