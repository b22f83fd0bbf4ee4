import { useMutation } from '@tanstack/react-query';
import { account } from '../../../calls/account-client.ts';
import { Button } from '../../../parts/button.tsx';
import { Dialog } from '../../../parts/dialog.tsx';
import { ErrorNotice } from '../../../parts/error-notice.tsx';
import { readForm } from '../../../parts/read-form.ts';
import { useFreshCall } from '../../../session/fresh-factor.tsx';
import { PlanSelect } from '../plan-select.tsx';
import type { AccountDialogProps } from './account-dialog.ts';

/** Sets the plan of an account. */
export function ChangePlanDialog({ shown, onChanged, onClose }: AccountDialogProps) {
  const withFreshFactor = useFreshCall();
  const change = useMutation({
    mutationFn: (plan: string) => withFreshFactor(() => account.setAccountPlan(shown.account_id, { plan })),
    onSuccess: onChanged,
  });
  return (
    <Dialog
      title={`Plan of ${shown.name}`}
      description="It applies from the next request on, in every process of the server."
      onClose={onClose}
    >
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          change.mutate(readForm(event.currentTarget, 'plan'));
        }}
      >
        <PlanSelect chosen={shown.plan.name} />
        <ErrorNotice error={change.error} operation={['Operators', 'setAccountPlan']} />
        <div className="actions">
          <Button type="button" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" kind="primary" isBusy={change.isPending}>
            Change the plan
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
