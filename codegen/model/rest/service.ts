/** A REST service: the places of its documents, and the prefixes of its names. */
export type Service = {
  /** Its folder below spec/ and generated/. */
  readonly folder: 'wallets' | 'account';
  /** The folder in src/ with its handlers. */
  readonly room: string;
  /** Prefix of its type names: `Wallet` of `WalletHandlers`. */
  readonly prefix: string;
  readonly title: string;
  /** The page of its errors, below generated/docs/. */
  readonly errorsPage: string;
};

/** The wallet service, at `/v1`. */
export const WALLETS: Service = {
  folder: 'wallets',
  room: 'wallets',
  prefix: 'Wallet',
  title: 'Wallet service',
  errorsPage: 'errors.md',
};

/** The account service, at `/account/v1`. */
export const ACCOUNT: Service = {
  folder: 'account',
  room: 'account/api',
  prefix: 'Account',
  title: 'Account service',
  errorsPage: 'account/errors.md',
};

/** The names that depend only on the service. */
export const namesOf = ({ folder, room, prefix }: Service) => {
  const lower = prefix.toLowerCase();
  return {
    lower,
    upper: prefix.toUpperCase(),
    headFile: `${folder}/openapi.yaml`,
    scenarioFile: `${folder}/scenario.yaml`,
    operationsFolder: `${folder}/operations/`,
    schemasFolder: `${folder}/schemas/`,
    contextFile: `src/${room}/${lower}-context.ts`,
    handlersFolder: `src/${room}/operations`,
  };
};
