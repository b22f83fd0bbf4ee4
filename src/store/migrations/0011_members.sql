CREATE TABLE "backup_codes" (
	"user_id" uuid NOT NULL,
	"digest" "bytea" NOT NULL,
	"used_at" timestamp (3) with time zone,
	CONSTRAINT "backup_codes_user_id_digest_pk" PRIMARY KEY("user_id","digest")
);
--> statement-breakpoint
CREATE TABLE "login_credentials" (
	"id" uuid PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"account_id" text NOT NULL,
	"provider_id" text NOT NULL,
	"access_token" text,
	"refresh_token" text,
	"id_token" text,
	"access_token_expires_at" timestamp (3) with time zone,
	"refresh_token_expires_at" timestamp (3) with time zone,
	"scope" text,
	"password" text,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "login_sessions" (
	"id" uuid PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"token" text NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"ip_address" text,
	"user_agent" text,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	"member_id" uuid,
	"fresh_until" timestamp (3) with time zone,
	CONSTRAINT "login_sessions_token_is_digest" CHECK (token ~ '^[0-9a-f]{64}$')
);
--> statement-breakpoint
CREATE TABLE "login_verifications" (
	"id" uuid PRIMARY KEY NOT NULL,
	"identifier" text NOT NULL,
	"value" text NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "logins" (
	"id" uuid PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"email" text NOT NULL,
	"email_verified" boolean NOT NULL,
	"image" text,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "member_factor_drafts" (
	"user_id" uuid PRIMARY KEY NOT NULL,
	"sealed_secret" "bytea" NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "member_factors" (
	"user_id" uuid PRIMARY KEY NOT NULL,
	"sealed_secret" "bytea" NOT NULL,
	"last_step" integer,
	"failures" integer DEFAULT 0 NOT NULL,
	"failing_since" timestamp (3) with time zone,
	"locked_until" timestamp (3) with time zone,
	"guesses" text DEFAULT '{}' NOT NULL,
	"enrolled_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "member_invitations" (
	"id" uuid PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"digest" "bytea" NOT NULL,
	"email" text NOT NULL,
	"role" text NOT NULL,
	"invited_by" uuid NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"accepted_at" timestamp (3) with time zone,
	"withdrawn_at" timestamp (3) with time zone,
	CONSTRAINT "member_invitations_role" CHECK (role in ('owner', 'developer', 'billing', 'viewer'))
);
--> statement-breakpoint
CREATE TABLE "members" (
	"id" uuid PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"user_id" uuid NOT NULL,
	"role" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"removed_at" timestamp (3) with time zone,
	CONSTRAINT "members_role" CHECK (role in ('owner', 'developer', 'billing', 'viewer'))
);
--> statement-breakpoint
CREATE TABLE "setup_links" (
	"id" uuid PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"user_id" uuid,
	"digest" "bytea" NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"used_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "sign_in_attempts" (
	"subject" "bytea" PRIMARY KEY NOT NULL,
	"failures" integer NOT NULL,
	"since" timestamp (3) with time zone NOT NULL,
	"locked_until" timestamp (3) with time zone
);
--> statement-breakpoint
ALTER TABLE "audit_records" ADD COLUMN "member_id" uuid;--> statement-breakpoint
ALTER TABLE "audit_records" ADD COLUMN "subject" text;--> statement-breakpoint
ALTER TABLE "backup_codes" ADD CONSTRAINT "backup_codes_user_id_logins_id_fk" FOREIGN KEY ("user_id") REFERENCES "logins"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "login_credentials" ADD CONSTRAINT "login_credentials_user_id_logins_id_fk" FOREIGN KEY ("user_id") REFERENCES "logins"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "login_sessions" ADD CONSTRAINT "login_sessions_user_id_logins_id_fk" FOREIGN KEY ("user_id") REFERENCES "logins"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "login_sessions" ADD CONSTRAINT "login_sessions_member_id_members_id_fk" FOREIGN KEY ("member_id") REFERENCES "members"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "member_factor_drafts" ADD CONSTRAINT "member_factor_drafts_user_id_logins_id_fk" FOREIGN KEY ("user_id") REFERENCES "logins"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "member_factors" ADD CONSTRAINT "member_factors_user_id_logins_id_fk" FOREIGN KEY ("user_id") REFERENCES "logins"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "member_invitations" ADD CONSTRAINT "member_invitations_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "member_invitations" ADD CONSTRAINT "member_invitations_invited_by_members_id_fk" FOREIGN KEY ("invited_by") REFERENCES "members"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "members" ADD CONSTRAINT "members_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "members" ADD CONSTRAINT "members_user_id_logins_id_fk" FOREIGN KEY ("user_id") REFERENCES "logins"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "setup_links" ADD CONSTRAINT "setup_links_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "setup_links" ADD CONSTRAINT "setup_links_user_id_logins_id_fk" FOREIGN KEY ("user_id") REFERENCES "logins"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "login_credentials_login" ON "login_credentials" USING btree ("user_id","provider_id");--> statement-breakpoint
CREATE UNIQUE INDEX "login_sessions_token" ON "login_sessions" USING btree ("token");--> statement-breakpoint
CREATE INDEX "login_sessions_login" ON "login_sessions" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "login_verifications_identifier" ON "login_verifications" USING btree ("identifier");--> statement-breakpoint
CREATE UNIQUE INDEX "logins_email" ON "logins" USING btree ("email");--> statement-breakpoint
CREATE UNIQUE INDEX "member_invitations_digest" ON "member_invitations" USING btree ("digest");--> statement-breakpoint
CREATE INDEX "member_invitations_account" ON "member_invitations" USING btree ("account_id");--> statement-breakpoint
CREATE UNIQUE INDEX "members_one_of_login" ON "members" USING btree ("account_id","user_id") WHERE removed_at is null;--> statement-breakpoint
CREATE INDEX "members_login" ON "members" USING btree ("user_id");--> statement-breakpoint
CREATE UNIQUE INDEX "setup_links_digest" ON "setup_links" USING btree ("digest");--> statement-breakpoint
CREATE INDEX "setup_links_account" ON "setup_links" USING btree ("account_id");--> statement-breakpoint
CREATE INDEX "sign_in_attempts_since" ON "sign_in_attempts" USING btree ("since");