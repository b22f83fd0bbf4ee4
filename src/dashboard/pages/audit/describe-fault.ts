import type { ChainFault } from './verify-chain.ts';

/** A fault of the chain in words, with what was found and what was expected. */
export type DescribedFault = {
  readonly title: string;
  readonly text: string;
  readonly values: readonly { readonly name: string; readonly value: string }[];
};

/** Puts a fault into words. */
export function describeFault(fault: ChainFault): DescribedFault {
  const { seq } = fault;
  switch (fault.kind) {
    case 'missing':
      return {
        title: `Record ${seq} is missing`,
        text: 'It was removed, or the end of the log was cut off.',
        values: [],
      };
    case 'changed':
      return {
        title: `Record ${seq} was changed`,
        text: 'What it says now does not have the hash that is stored with it.',
        values: [
          { name: 'Hash of what it says', value: fault.recomputed },
          { name: 'Stored hash', value: fault.stored },
        ],
      };
    case 'unlinked':
      return {
        title: `Record ${seq} does not follow record ${seq - 1}`,
        text: `Record ${seq - 1} was replaced, or record ${seq} was inserted.`,
        values: [
          { name: `Hash of record ${seq - 1}`, value: fault.expected },
          { name: 'Previous hash in the record', value: fault.previous },
        ],
      };
    case 'rewritten':
      return {
        title: `Record ${seq} is not the one that this browser verified before`,
        text: 'The log was written anew, up to this record or beyond.',
        values: [
          { name: 'Hash now', value: fault.stored },
          { name: 'Hash that was verified', value: fault.kept },
        ],
      };
    case 'head':
      return {
        title: `Record ${seq} is not the one that was signed`,
        text: 'The signed head of this record states another hash: the log was written anew.',
        values: [
          { name: 'Stored hash', value: fault.stored },
          { name: 'Signed hash', value: fault.stated },
        ],
      };
    case 'signature':
      return {
        title: `The signature of the head of record ${seq} is wrong`,
        text: 'The head was changed, or another key signed it.',
        values: [{ name: 'Public key', value: fault.publicKey }],
      };
  }
  fault satisfies never;
  throw new Error('not a fault');
}
