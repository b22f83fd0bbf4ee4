import { createArea } from '../area.ts';
import { lintConfig } from '../lint/config.ts';
import { lintErrors } from '../lint/errors.ts';
import { type ProcessModel, readProcess } from '../model/process.ts';
import { renderConfig } from '../render/config.ts';
import { renderErrors } from '../render/errors.ts';
import { renderPlans } from '../render/plans.ts';
import { renderRedaction } from '../render/redaction.ts';
import { renderRuntime } from '../render/runtime.ts';

/** What concerns the whole process: errors, config, plans. */
export const processArea = createArea<ProcessModel>({
  name: 'process',
  lint: (sources) => [...lintErrors(sources), ...lintConfig(sources)],
  model: readProcess,
  renderers: [
    ({ errors }) => renderErrors(errors),
    renderConfig,
    renderPlans,
    renderRedaction,
    renderRuntime,
  ],
});
