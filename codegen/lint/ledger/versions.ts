import { callables } from '../../model/ledger.ts';
import { versionedParts } from '../../model/versioned-parts.ts';
import type { Problem } from '../../problem.ts';
import { finding, type LocatedSchema, type Rule } from './rule.ts';

/** Version keywords are consistent: a limit that is left to nodes exists, and a fallback applies. */
export const checkVersions: Rule = ({ methods, parts, calls, model }) => {
  const ledger = model();
  const withContext = new Set(
    methods.filter(({ method }) => method.result['x-context']).map(({ method }) => method.name),
  );
  const pushed = new Set(ledger.subscriptions.map(({ name }) => name));
  const misplaced = callables(ledger).flatMap((call, index) =>
    versionedParts(call, ledger).flatMap(({ name, fallback }) => {
      const fits = { context: withContext, slice: pushed };
      if (fallback === undefined || fits[fallback].has(call.name)) return [];
      const { file = '', pointer = '' } = calls[index] ?? {};
      const message = `${name}: the fallback ${fallback} needs ${fallback === 'context' ? 'a result with a context' : 'a subscription'}`;
      return [finding('versions', { file, pointer }, message, false)];
    }),
  );
  return [...parts.flatMap(checkPart), ...misplaced];
};

const checkPart = (part: LocatedSchema): readonly Problem[] => {
  const { 'x-since': since, 'x-fallback': fallback } = part.schema;
  const report = (keyword: string, message: string): Problem =>
    finding('versions', { ...part, pointer: `${part.pointer}/${keyword}` }, message, false);
  return [
    ...(fallback !== undefined && typeof since !== 'string'
      ? [report('x-fallback', 'x-fallback requires x-since')]
      : []),
    ...(typeof since === 'object'
      ? Object.keys(since)
          .filter((keyword) => !(keyword in part.schema))
          .map((keyword) => report(`x-since/${keyword}`, `the schema has no ${keyword}`))
      : []),
  ];
};
