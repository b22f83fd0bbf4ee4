import { stringifyJson } from '../../core/rpc/json.ts';

type Members = Readonly<Record<string, unknown>>;

/** Names of the examples of one media type of an answer, and the bodies of the requests they answer. */
export type AnswerExamples = {
  readonly names: readonly string[];
  readonly requests: Readonly<Record<string, unknown>>;
};

/**
 * Chooses the example that answers a body: the one with the most similar request in the requested custody, so that a request for managed
 * wallets never gets secret keys.
 *
 * @returns its name; undefined if no example has this custody.
 */
export function chooseExample({ names, requests }: AnswerExamples, body: object): string | undefined {
  const wanted = body as Members;
  const [best] = names
    .map((name) => ({ name, request: requests[name] }))
    .filter((each): each is { name: string; request: Members } => isObject(each.request))
    .filter(({ request }) => custodyOf(request) === custodyOf(wanted))
    .map(({ name, request }) => ({ name, likeness: likenessOf(request, wanted) }))
    .sort((a, b) => b.likeness - a.likeness);
  return best?.name;
}

/** More managed children belong to a managed master. */
const custodyOf = ({ custody, master_wallet_id: master }: Members): unknown =>
  custody ?? (master === undefined ? 'client' : 'managed');

const EQUAL = 3;
const GIVEN = 2;
const ABSENT = -1;

function likenessOf(example: Members, wanted: Members): number {
  return Object.entries(example).reduce((sum, [name, value]) => {
    if (!(name in wanted)) return sum + ABSENT;
    return sum + (stringifyJson(wanted[name]) === stringifyJson(value) ? EQUAL : GIVEN);
  }, 0);
}

const isObject = (value: unknown): value is Members => typeof value === 'object' && value !== null;
