ALTER TABLE "reservations" ADD COLUMN "standard_price" bigint;--> statement-breakpoint
ALTER TABLE "reservations" ADD COLUMN "volume_price" bigint;--> statement-breakpoint
ALTER TABLE "reservations" ADD COLUMN "volume_threshold" bigint;