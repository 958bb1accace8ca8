process.stdout.write(`hello ${process.argv.slice(2).join(" ")}\n`);
