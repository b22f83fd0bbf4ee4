/** A node's answer to getVersion. */
export type SaidVersion = {
  readonly version: string;
  readonly featureSet: number | null;
  /** `major.minor` as a number that rises with it; undefined if the version cannot be ordered. */
  readonly order: number | undefined;
};

const SEMVER = /^(\d{1,5})\.(\d{1,5})\.\d{1,9}(?:-([0-9A-Za-z.-]{1,64}))?(?:\+[0-9A-Za-z.-]{1,64})?$/;
/** The releases before a release of Agave, and the versions of Jito. An alpha may lack features of the release; other names are other implementations. */
const ORDERED_PRE = /^(?:(?:beta|rc)(?:\.\d{1,5})?|(?:(?:beta|rc)(?:\.\d{1,5})?-)?jito(?:\.\d{1,5})?)$/;
/** Lower majors are Solana 1 and 2 of other maintainers, and clients with their own version numbers. */
const FIRST_ORDERED_MAJOR = 3;
const MAX_MINORS = 100_000;
/** The text that may be shown in metrics, logs and terminals: printable ASCII only. */
const SHOWN = /^[\x20-\x7e]{1,100}$/;
const MAX_FEATURE_SET = 0xff_ff_ff_ff;
/** The members of Agave's answer: an answer with others comes from another client. */
const MEMBERS: ReadonlySet<string> = new Set(['solana-core', 'feature-set']);

/**
 * Reads the result of getVersion; undefined if it is invalid, or its version is not 1 to 100 printable ASCII characters. Only
 * versions of Agave and Jito are ordered, because the specification covers only those: `4.3.2-cloudbreak0.1.0` is not, though its client was built on one.
 */
export function readSaidVersion(result: unknown): SaidVersion | undefined {
  if (typeof result !== 'object' || result === null) return undefined;
  const said = result as Readonly<Record<string, unknown>>;
  const { 'solana-core': version, 'feature-set': featureSet } = said;
  if (typeof version !== 'string' || !SHOWN.test(version)) return undefined;
  const isAgave = Object.keys(said).every((name) => MEMBERS.has(name));
  return {
    version,
    featureSet: isFeatureSet(featureSet) ? featureSet : null,
    order: isAgave ? orderOfVersion(version) : undefined,
  };
}

function isFeatureSet(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MAX_FEATURE_SET;
}

/** Returns the order of a version that the specification names, such as `4.4`. */
export function orderOf(since: string): number {
  const [major = 0, minor = 0] = since.split('.').map(Number);
  return major * MAX_MINORS + minor;
}

function orderOfVersion(version: string): number | undefined {
  const [, major = '', minor = '', pre] = SEMVER.exec(version) ?? [];
  const isOfAgave = pre === undefined || ORDERED_PRE.test(pre);
  if (major === '' || !isOfAgave || Number(major) < FIRST_ORDERED_MAJOR) return undefined;
  return orderOf(`${major}.${minor}`);
}
