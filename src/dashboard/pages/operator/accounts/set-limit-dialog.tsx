import { useMutation } from '@tanstack/react-query';
import { account } from '../../../calls/account-client.ts';
import { Button } from '../../../parts/button.tsx';
import { Dialog } from '../../../parts/dialog.tsx';
import { ErrorNotice } from '../../../parts/error-notice.tsx';
import { Field } from '../../../parts/field.tsx';
import { readForm } from '../../../parts/read-form.ts';
import { useFreshCall } from '../../../session/fresh-factor.tsx';
import { LIMIT_TEXTS } from '../../settings/limit-texts.ts';
import type { AccountDialogProps } from './account-dialog.ts';

type SetLimitDialogProps = AccountDialogProps & { readonly limit: 'wallet_create' | 'wallet_use' };

const MOST = 1_000_000;

/** Sets a limit of an account, or returns it to its default. */
export function SetLimitDialog({ shown, limit, onChanged, onClose }: SetLimitDialogProps) {
  const withFreshFactor = useFreshCall();
  const change = useMutation({
    mutationFn: (requests: number | undefined) =>
      withFreshFactor(() =>
        account.setAccountLimits(shown.account_id, { limit, ...(requests !== undefined && { requests }) }),
      ),
    onSuccess: onChanged,
  });
  const { title, wanted } = LIMIT_TEXTS[limit];
  const current = shown[`${limit}_limit`];
  return (
    <Dialog
      title={`${title}: limit of ${shown.name}`}
      description="It applies from the next window on, in every process of the server."
      onClose={onClose}
    >
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          change.mutate(Number(readForm(event.currentTarget, 'requests')));
        }}
      >
        <Field
          name="requests"
          type="number"
          label={wanted}
          min={1}
          max={MOST}
          step={1}
          defaultValue={current.requests}
          required
        />
        <ErrorNotice error={change.error} operation={['Operators', 'setAccountLimits']} />
        <div className="actions">
          {current.source === 'store' && (
            <Button
              type="button"
              kind="quiet"
              isBusy={change.isPending}
              onClick={() => change.mutate(undefined)}
            >
              Back to the default
            </Button>
          )}
          <Button type="button" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" kind="primary" isBusy={change.isPending}>
            Set the limit
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
