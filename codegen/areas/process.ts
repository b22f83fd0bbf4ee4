import { createArea } from '../area.ts';
import { lintConfig } from '../lint/config.ts';
import { lintErrors } from '../lint/errors.ts';
import { lintServiceCredits } from '../lint/service-credits.ts';
import { ERRORS_FILE } from '../model/errors.ts';
import {
  CONFIG_FILE,
  CREDENTIALS_FILE,
  PLANS_FILE,
  type ProcessModel,
  readProcess,
} from '../model/process.ts';
import { renderConfig } from '../render/config.ts';
import { renderConfigPage } from '../render/config-page.ts';
import { renderErrors } from '../render/errors.ts';
import { renderPackage } from '../render/package.ts';
import { renderPlans } from '../render/plans.ts';
import { renderRedaction } from '../render/redaction.ts';
import { renderCommonReference } from '../render/reference/common-pages.ts';
import { renderServiceLevelPage } from '../render/service-level-page.ts';
import { parseYaml } from '../yaml.ts';

/** Documents of the whole process: errors, config, credentials, plans. */
export const processArea = createArea<ProcessModel>({
  name: 'process',
  reads: [ERRORS_FILE, CONFIG_FILE, CREDENTIALS_FILE, PLANS_FILE].map((path) => ({
    path,
    parse: parseYaml,
  })),
  lint: (sources) => [
    ...lintErrors(sources),
    ...lintConfig(sources),
    ...lintServiceCredits(sources.get(PLANS_FILE) ?? null),
  ],
  model: readProcess,
  renderers: [
    ({ errors }) => renderErrors(errors),
    renderConfig,
    renderConfigPage,
    ({ errors }) => renderCommonReference(errors),
    renderPlans,
    renderRedaction,
    renderServiceLevelPage,
    renderPackage,
  ],
});
