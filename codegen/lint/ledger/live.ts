import { pointerTo, type Problem } from '../../problem.ts';
import type { SubscriptionExample } from '../../model/subscription.ts';
import { isSameValue, missingIn } from '../../../runtime/missing-in.ts';
import { allowedNames } from '../allowed-names.ts';
import { finding, type Rule } from './rule.ts';

/** The example itself has what its x-live expects of a run, and the context for an error is exactly the one that the error needs. */
export const checkLive: Rule = ({ calls, model }) => {
  const { errors } = model();
  return calls.flatMap(({ file, pointer, call }) =>
    (call.examples ?? []).flatMap((example, index): readonly Problem[] => {
      const at = `${pointer}/examples/${index}/x-live`;
      const wanted = Object.keys(errors.get(example.error ?? '')?.context ?? {});
      return [
        ...unlikeExample(example).map(([member, message]) =>
          finding('live', { file, pointer: pointerTo(at, member) }, message, false),
        ),
        ...contextFaults(example, wanted).map((message) =>
          finding('live', { file, pointer: `${at}/context` }, message, false),
        ),
      ];
    }),
  );
};

const unlikeExample = ({
  result,
  notifications = [],
  'x-live': live,
}: SubscriptionExample): readonly (readonly [member: 'result' | 'notification', message: string])[] => [
  ...(live?.result === undefined ? [] : missingIn(result, live.result, 'the result', isSameOrNamed)).map(
    (message) => ['result', message] as const,
  ),
  ...(live?.notification === undefined ? [] : notifications)
    .flatMap((value) => missingIn(value, live?.notification, 'the notification', isSameOrNamed))
    .map((message) => ['notification', message] as const),
];

const contextFaults = (
  { error, 'x-live': live }: SubscriptionExample,
  wanted: readonly string[],
): readonly string[] => {
  if (live?.context === undefined) return [];
  if (error === undefined) return ['context without an error'];
  const given = Object.keys(live.context);
  return [
    ...wanted.filter((name) => !given.includes(name)).map((name) => `${error} wants ${name}`),
    ...given
      .filter((name) => !wanted.includes(name))
      .map((name) => `${error} has no ${name} in its context${allowedNames(name, wanted)}`),
  ];
};

/** A value of the scenario matches any value. */
const isSameOrNamed = (value: unknown, wanted: unknown): boolean =>
  isSameValue(value, wanted) || (value !== undefined && typeof wanted === 'string' && wanted.startsWith('$'));
