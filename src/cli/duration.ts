const UNITS_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** The milliseconds of `90s`, `30m`, `24h` or `7d`; undefined for anything else. */
export function parseDuration(text: string): number | undefined {
  const [, count, unit] = /^(\d{1,9})([smhd])$/.exec(text) ?? [];
  const unitMs = UNITS_MS[unit ?? ''];
  return unitMs === undefined ? undefined : Number(count) * unitMs;
}
