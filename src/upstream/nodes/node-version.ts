/** What a node says of itself (getVersion). */
export type SaidVersion = {
  readonly version: string;
  readonly featureSet: number | null;
  /** `major.minor` as a number that rises with it; undefined where the version cannot be ordered. */
  readonly order: number | undefined;
};

const SEMVER = /^(\d{1,5})\.(\d{1,5})\.\d{1,9}(?:-(?<pre>[0-9A-Za-z.-]{1,64}))?(?:\+[0-9A-Za-z.-]{1,64})?$/;
/** Below are Solana 1 and 2 of other owners, and clients that count their own versions. */
const FIRST_ORDERED_MAJOR = 3;
const MAX_MINORS = 100_000;
const MAX_VERSION_CHARACTERS = 100;
/** What Agave answers, and nothing else: who answers more is another client. */
const MEMBERS: ReadonlySet<string> = new Set(['solana-core', 'feature-set']);

/**
 * Reads the result of getVersion; undefined if it is none. Only versions of Agave are ordered, as only of those the specification says
 * what they have; not an alpha, which may lack what the release has.
 */
export function readSaidVersion(result: unknown): SaidVersion | undefined {
  if (typeof result !== 'object' || result === null) return undefined;
  const said = result as Readonly<Record<string, unknown>>;
  const { 'solana-core': version, 'feature-set': featureSet } = said;
  if (typeof version !== 'string' || version.length > MAX_VERSION_CHARACTERS) return undefined;
  const isAgave = Object.keys(said).every((name) => MEMBERS.has(name));
  return {
    version,
    featureSet: typeof featureSet === 'number' ? featureSet : null,
    order: isAgave ? orderOfVersion(version) : undefined,
  };
}

/** The order of a version that the specification names, such as `4.4`. */
export function orderOf(since: string): number {
  const [major = 0, minor = 0] = since.split('.').map(Number);
  return major * MAX_MINORS + minor;
}

function orderOfVersion(version: string): number | undefined {
  const [, major = '', minor = ''] = SEMVER.exec(version) ?? [];
  const isAlpha = SEMVER.exec(version)?.groups?.pre?.startsWith('alpha') === true;
  if (major === '' || isAlpha || Number(major) < FIRST_ORDERED_MAJOR) return undefined;
  return orderOf(`${major}.${minor}`);
}
