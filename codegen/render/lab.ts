import type { Files } from '../area.ts';
import type { ProcessModel } from '../model/process.ts';
import { HEADER } from '../text.ts';
import { settingsType, settingsValidator } from './settings.ts';

/** lab.ts: the type of a scenario of the lab; lab-validator.js: checks one and fills in the defaults. */
export const renderLab = ({ lab }: ProcessModel): Files =>
  lab === undefined
    ? {}
    : {
        'lab.ts': `${HEADER}
/** A scenario of the lab, defaults filled in. */
export type Scenario = ${settingsType(lab)};
`,
        'lab-validator.js': `${HEADER}${settingsValidator(lab, 'validateScenario')}`,
        'lab-validator.d.ts': `${HEADER}import type { ConfigProblem } from './config-validator.js';
import type { Scenario } from './lab.ts';

/** True for a scenario. Fills in defaults, in place. \`errors\` has every problem of the last call. */
export declare const validateScenario: {
  (value: unknown): value is Scenario;
  errors?: readonly ConfigProblem[] | null;
};
`,
      };
