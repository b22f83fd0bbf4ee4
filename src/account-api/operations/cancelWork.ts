import type { AccountHandler } from '../../../generated/account/handlers.ts';
import { cancelWork as cancel } from '../../account/service-level/planned-work.ts';
import { serviceError } from '../../base/service-error.ts';
import type { AccountContext } from '../account-context.ts';
import { recordChange } from '../record-change.ts';
import { showPlannedWork } from '../show-planned-work.ts';
import { isUuid } from '../uuid.ts';

/** `DELETE /account/v1/operator/planned-work/{id}`. */
export const cancelWork: AccountHandler<AccountContext, 'cancelWork'> = async (context, { id }) => {
  if (!isUuid(id)) throw serviceError('plannedWorkNotFound', { id });
  const deps = { store: context.store, record: recordChange(context, 'cancelwork') };
  return { kind: 'json', body: showPlannedWork(await cancel(deps, id, context.clock.nowMs())) };
};
