DROP TABLE IF EXISTS "login_verifications" CASCADE;--> statement-breakpoint
DROP INDEX IF EXISTS "logins_email";--> statement-breakpoint
ALTER TABLE "logins" ALTER COLUMN "email_verified" SET DEFAULT false;--> statement-breakpoint
CREATE INDEX "logins_by_email" ON "logins" USING btree ("email");
