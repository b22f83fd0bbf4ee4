/** One kind of work: what is sent, how often, and what a proxy without knowledge of the interface does with it. */
export type Load = {
  readonly name: string;
  readonly what: string;
  readonly body: string;
  /** Flat out: requests of one round, and the number of connections. */
  readonly requests: number;
  readonly connections: number;
  /** At constant rate: requests per second. */
  readonly perSecond: number;
};

const ADDRESS = '4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T';
const SIGNATURE = '4sqYgxxMAbswc39NdNLg2ws9nVmgEeF4URJ4qSR7Qmy54MjsgxioUsgVr1ajwJ3xYuE3aw5W1uajmDMBzu58fvQ6';
const BATCH_CALLS = 100;

const many = { requests: 10_000, connections: 32, perSecond: 1_000 };

export const LOADS: readonly Load[] = [
  {
    name: 'small',
    what: 'getBalance, an answer of about 120 bytes',
    body: call(1, 'getBalance', [ADDRESS]),
    ...many,
  },
  {
    name: 'large',
    what: 'getProgramAccounts, an answer of 5 MB',
    body: call(1, 'getProgramAccounts', [ADDRESS]),
    requests: 100,
    connections: 4,
    perSecond: 15,
  },
  {
    name: 'batch',
    what: `a batch of ${BATCH_CALLS} getBalance; Keyslot checks each call and takes the replies apart, the others pass one body on`,
    body: `[${Array.from({ length: BATCH_CALLS }, (_, id) => call(id, 'getBalance', [ADDRESS])).join(',')}]`,
    requests: 1_000,
    connections: 4,
    perSecond: 25,
  },
  {
    name: 'refused',
    what: 'getBalance of a malformed address: Keyslot refuses it, the others pass it on',
    body: call(1, 'getBalance', ['not-base58!']),
    ...many,
  },
  {
    name: 'cached',
    what: 'getTransaction, finalized, about 2 kB: Keyslot answers from memory, the others pass it on',
    body: call(1, 'getTransaction', [SIGNATURE]),
    ...many,
  },
];

function call(id: number, method: string, params: readonly unknown[]): string {
  return JSON.stringify({ jsonrpc: '2.0', id, method, params });
}
