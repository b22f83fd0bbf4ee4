import { isJsonObject, type Json } from '../json.ts';
import type { Sources } from '../load.ts';
import {
  HEAD_FILE,
  type LedgerModel,
  METHODS_FOLDER,
  readLedger,
  SCENARIO_FILE,
  SUBSCRIPTIONS_FOLDER,
  sentSchemas,
} from './ledger.ts';
import { reachedFrom } from './reach.ts';

export const CHEATS_FOLDER = 'localnet/';
export const CHEATS_HEAD_FILE = 'localnet/openrpc.yaml';
const LEDGER_FOLDER = 'ledger/';

/** Left out in files of localnet/methods/: no interface specifies these methods, and nothing counts or caches their answers. */
const DEFAULTS = {
  tags: ['service'],
  'x-origin': 'chosen',
  'x-group': 'send',
  'x-cost': 1,
  'x-cache': 'none',
  'x-retry': 'never',
};

/** The path of a localnet/ file in `asLedger`. */
export const ledgerPlace = (path: string): string =>
  path.startsWith(CHEATS_FOLDER) ? `${LEDGER_FOLDER}${path.slice(CHEATS_FOLDER.length)}` : path;

/**
 * The documents of the embedded ledger's cheat codes as those of a separate ledger: its head and methods replace the ledger's, whose
 * schemas stay for references. So they are written, checked and rendered like the ledger's.
 */
export const asLedger = (sources: Sources): Sources => {
  const kept = [...sources].filter(
    ([path]) =>
      !path.startsWith(CHEATS_FOLDER) &&
      !path.startsWith(METHODS_FOLDER) &&
      !path.startsWith(SUBSCRIPTIONS_FOLDER) &&
      path !== HEAD_FILE &&
      path !== SCENARIO_FILE,
  );
  const own = [...sources]
    .filter(([path]) => path.startsWith(CHEATS_FOLDER))
    .map(([path, value]) => [ledgerPlace(path), completed(ledgerPlace(path), value)] as const);
  return new Map([...kept, ...own, [SCENARIO_FILE, {}]]);
};

/** Reads the model of sources that passed lint, with the schemas that it uses. */
export const readCheats = (sources: Sources): LedgerModel => {
  const model = readLedger(asLedger(sources));
  const roots = [
    ...model.methods.flatMap(({ params }) => params.map(({ schema }) => schema)),
    ...sentSchemas(model),
  ];
  const reached = new Set(roots.flatMap((schema) => [...reachedFrom(schema, model.schemas).keys()]));
  return { ...model, schemas: new Map([...model.schemas].filter(([title]) => reached.has(title))) };
};

/** True when there are any cheat codes. */
export const hasCheats = (sources: Sources): boolean => sources.has(CHEATS_HEAD_FILE);

const completed = (path: string, value: Json): Json =>
  path.startsWith(METHODS_FOLDER) && isJsonObject(value) ? { ...DEFAULTS, ...value } : value;
