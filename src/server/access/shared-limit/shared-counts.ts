/** Weight used in each step of a window. */
export type Steps = ReadonlyMap<number, number>;

/** The report of one server about an API key, and the charge that it asks for. */
export type Report = {
  /** Name of the window, the same on every server. */
  readonly name: string;
  /** The current step. */
  readonly step: number;
  /** Milliseconds that the window is kept. */
  readonly keepMs: number;
  /** Weight that this server allowed since its last report. */
  readonly used: Steps;
  /** A charge to allow if all servers together leave room for it. */
  readonly wish?: { readonly weight: number; readonly burst: number };
};

/** Weight that all servers used together. */
export type SharedWindow = {
  /** True if the wish was allowed; false without one. */
  readonly isAllowed: boolean;
  readonly steps: Steps;
};

/** The counts that servers share. */
export type SharedCounts = {
  /** True while reports are answered. */
  readonly isUp: () => boolean;
  /**
   * Adds a report, and returns the weight that all servers used. Answers come in the order of the reports.
   * @throws if it is not answered in time.
   */
  readonly report: (report: Report) => Promise<SharedWindow>;
  /** Returns milliseconds that are the same on every server, within the time that an answer takes. */
  readonly now: () => number;
};
