// Loaded by --import before a driver's own program: the driver ends when its node is gone, and the channel that
// tells of it does not keep a driver alive that has finished.
process.once("disconnect", () => process.exit(1));
process.channel?.unref();
// The node may have gone before this line.
if (!process.connected) process.exit(1);
