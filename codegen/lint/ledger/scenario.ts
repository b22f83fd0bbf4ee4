import type { Json } from '../../json.ts';
import { SCENARIO_FILE } from '../../model/ledger.ts';
import { pointerTo } from '../../problem.ts';
import { allowedNames } from '../allowed-names.ts';
import { finding, type Rule } from './rule.ts';

/** Each $name of an x-live is a value of the scenario, and each value is used. */
export const checkScenario: Rule = ({ calls, scenario }) => {
  const used = calls.flatMap(({ file, pointer, call }) =>
    (call.examples ?? []).flatMap((example, index) =>
      namesIn({ ...example['x-live'] }, `${pointer}/examples/${index}/x-live`).map((use) => ({
        file,
        ...use,
      })),
    ),
  );
  const unused = Object.keys(scenario).filter((name) => !used.some((use) => use.name === name));
  return [
    ...used
      .filter(({ name }) => !Object.hasOwn(scenario, name))
      .map((use) =>
        finding(
          'scenario',
          use,
          `${SCENARIO_FILE} has no ${use.name}${allowedNames(use.name, Object.keys(scenario))}`,
          false,
        ),
      ),
    ...unused.map((name) =>
      finding('scenario', { file: SCENARIO_FILE, pointer: pointerTo('', name) }, 'no example uses it', false),
    ),
  ];
};

type Use = { readonly pointer: string; readonly name: string };

const namesIn = (value: Json, pointer: string): readonly Use[] => {
  if (typeof value === 'string') return value.startsWith('$') ? [{ pointer, name: value.slice(1) }] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([step, child]) => namesIn(child, pointerTo(pointer, step)));
};
