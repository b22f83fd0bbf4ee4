import { type Plan, planProblem } from '../account/plan.ts';
import { HEAVIEST } from './weigh.ts';

/** Describes what is wrong with the figures of a plan; undefined if they are valid and every call can be served. */
export function planFault(figures: Pick<Plan, 'requestsPerSecond' | 'burst'>): string | undefined {
  return planProblem(figures) ?? tooNarrow(figures.burst);
}

/** A call that weighs more than the burst would never be served. */
function tooNarrow(burst: number): string | undefined {
  const { methods, weight } = HEAVIEST;
  if (burst >= weight) return undefined;
  return `burst is ${burst}; must be at least ${weight}, the weight of a call of ${methods.join(' or ')}, which would never be served`;
}
