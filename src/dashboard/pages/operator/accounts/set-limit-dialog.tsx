import { useMutation } from '@tanstack/react-query';
import { account } from '../../../calls/account-client.ts';
import { Button } from '../../../parts/button.tsx';
import { FormDialog } from '../../../parts/form-dialog.tsx';
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
    <FormDialog
      title={`${title}: limit of ${shown.name}`}
      description="It applies from the next request on, in every process of the server."
      action="Set the limit"
      call={change}
      operation={['Operators', 'setAccountLimits']}
      moreActions={
        current.source === 'store' && (
          <Button
            type="button"
            kind="quiet"
            isBusy={change.isPending}
            onClick={() => change.mutate(undefined)}
          >
            Back to the default
          </Button>
        )
      }
      onSubmit={(form) => change.mutate(Number(readForm(form, 'requests')))}
      onClose={onClose}
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
    </FormDialog>
  );
}
