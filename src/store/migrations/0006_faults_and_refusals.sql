CREATE TABLE "wallet_use_limits" (
	"account_id" uuid PRIMARY KEY NOT NULL,
	"requests" integer NOT NULL,
	CONSTRAINT "wallet_use_limits_requests" CHECK (requests > 0)
);
--> statement-breakpoint
ALTER TABLE "audit_heads" DROP CONSTRAINT "audit_heads_account_id_accounts_id_fk";
--> statement-breakpoint
ALTER TABLE "audit_records" DROP CONSTRAINT "audit_records_account_id_accounts_id_fk";
--> statement-breakpoint
ALTER TABLE "audit_tips" DROP CONSTRAINT "audit_tips_account_id_accounts_id_fk";
--> statement-breakpoint
ALTER TABLE "two_factors" ADD COLUMN "failing_since" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "two_factors" ADD COLUMN "guesses" text DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "audit_records" ADD COLUMN "address" text;--> statement-breakpoint
ALTER TABLE "wallet_use_limits" ADD CONSTRAINT "wallet_use_limits_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE no action ON UPDATE no action;