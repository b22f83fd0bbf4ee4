import type { CallSpan, Network, OwnCalls } from '../../../../generated/account/types.ts';

/** Returns the calls of the account in a span, on all networks together; undefined where the networks are not known. */
export function ownCalls(
  networks: readonly Pick<Network, 'spans'>[] | undefined,
  asked: CallSpan,
): OwnCalls | undefined {
  if (networks === undefined) return undefined;
  const found = networks.flatMap(({ spans }) => spans.filter(({ span }) => span === asked));
  const sumOf = (count: keyof OwnCalls): number => found.reduce((sum, { own }) => sum + own[count], 0);
  return {
    ...{ calls: sumOf('calls'), errors: sumOf('errors') },
    ...{ caller_errors: sumOf('caller_errors'), refused: sumOf('refused') },
  };
}
