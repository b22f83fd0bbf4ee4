import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { NewInvitation } from '../../../../generated/account/types.ts';
import { account } from '../../calls/account-client.ts';
import { Button } from '../../parts/button.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Field } from '../../parts/field.tsx';
import { readForm } from '../../parts/read-form.ts';
import { Secret } from '../../parts/secret.tsx';
import { Time } from '../../parts/time.tsx';
import { useFreshCall } from '../../session/fresh-factor.tsx';
import { INVITATIONS_KEY } from './keys.ts';
import { RoleChoices } from './role-choices.tsx';
import { isRole } from './role-texts.ts';

/** Invites a person, then shows the link, once. */
export function InviteDialogs({ onClose }: { readonly onClose: () => void }) {
  const withFreshFactor = useFreshCall();
  const client = useQueryClient();
  const invite = useMutation({
    mutationFn: (body: Parameters<typeof account.createInvitation>[0]) =>
      withFreshFactor(() => account.createInvitation(body)),
    onSuccess: () => client.invalidateQueries({ queryKey: INVITATIONS_KEY }),
  });
  if (invite.data !== undefined) return <NewInvitationDialog invitation={invite.data} onClose={onClose} />;
  return (
    <FormDialog
      title="Invite a member"
      description="The link works once, for seven days. An open one for the same email stops working."
      action="Create the invitation"
      call={invite}
      operation={['Members', 'createInvitation']}
      onSubmit={(form) => {
        const role = readForm(form, 'role');
        if (isRole(role)) invite.mutate({ email: readForm(form, 'email').trim(), role });
      }}
      onClose={onClose}
    >
      <Field
        name="email"
        type="email"
        label="Email"
        hint="The invited person signs in with it."
        autoComplete="off"
        required
      />
      <RoleChoices chosen="viewer" />
    </FormDialog>
  );
}

function NewInvitationDialog({
  invitation: { email, link, expires_at, is_mailed },
  onClose,
}: {
  readonly invitation: NewInvitation;
  readonly onClose: () => void;
}) {
  return (
    <Dialog title="Invitation created" onClose={onClose} isSticky>
      <p>
        {is_mailed ? `The link was mailed to ${email}. It` : `Send this link to ${email}. It`} works once,
        until <Time at={expires_at} />.
      </p>
      <Secret text={link} label="Copy the link" />
      <div className="actions">
        <Button type="button" kind="primary" onClick={onClose}>
          I have copied it
        </Button>
      </div>
    </Dialog>
  );
}
